# Two commands set everything up: `make run` (prove a setting on the disk under this checkout) and `make test`.

HOST_TRIPLE := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
BINARY       = target/$(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')/release/iodyno
# One static file: with glibc linked in, the binary runs on any distribution of the same architecture.
STATIC       = RUSTFLAGS="-C target-feature=+crt-static"
BUDGET      ?= 3m
ROUNDS      ?= 200
CUTS        ?= 20
EXCHANGES   ?= 10000
CONNECTIONS ?= 500
SECONDS     ?= 60
DRAWS       ?= 60

.PHONY: run test build bench kill power-cuts exchanges histories pressure aa stories draws lab fuzz clean setup-run setup-test gen

run: build
	@tools/run $(BINARY) $(BUDGET)

test: setup-test
	@tools/test

build: setup-run
	@$(STATIC) cargo build --release --locked --package iodyno --target $$(rustc -vV | sed -n 's/^host: //p')

bench: build setup-test
	@tools/bench $(BINARY)

# The long forms of three tests: kill -9 at ROUNDS random moments, EXCHANGES exchanges of targets by somebody else while
# they are written, and twenty A/A tunes.
kill: setup-test
	@tools/kill $(ROUNDS)

# CUTS power cuts of a guest at random moments of tunes and applies: about a minute each.
power-cuts: setup-test
	@tools/power-cuts $(CUTS)

# The long form of two more: 100,000 random histories of changes on a simulated kernel, 1,000 on a loop device.
histories: setup-test
	@tools/histories 100000 1000

exchanges: setup-test
	@tools/exchanges $(EXCHANGES)

aa: setup-test
	@tools/aa 20

# The stories of the field reports in guests, from the tune over reboots to the undo, those of slow settings too: 25 minutes.
stories: setup-test
	@tools/stories

# DRAWS faults drawn at random, made on a stack of their own and looked for by check: ten seconds each.
draws: build setup-test
	@tools/draws $(DRAWS) $(BINARY)

# The web server under hostile connections of every kind, 45 s each: about eight minutes.
pressure: setup-test
	@tools/pressure $(CONNECTIONS)

# Everything that needs a guest, on each kernel that Debian 12 and 11 have: about four minutes a kernel.
lab: setup-test
	@tools/lab

# Coverage-guided fuzzing of every reader of other people's bytes, SECONDS each.
fuzz: setup-test
	@tools/fuzz $(SECONDS)

gen: build
	@cargo xtask gen --with-binary $(BINARY)

setup-run:
	@tools/setup run

setup-test:
	@tools/setup test

clean:
	@cargo clean
