# Two commands set everything up: `make run` (prove a setting on the disk under this checkout) and `make test`.

BINARY       = target/$(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')/release/iodyno
# What packages are made for: amd64 or arm64, without a name this machine.
ARCHITECTURE ?=
BUDGET      ?= 3m
ROUNDS      ?= 200
CUTS        ?= 20
EXCHANGES   ?= 10000
CONNECTIONS ?= 500
SECONDS     ?= 60
DRAWS       ?= 60

.PHONY: run test test-live soak build packages image sbom site deny workflows reproduced bench kill power-cuts exchanges histories pressure aa stories draws
.PHONY: lab ceph k8s fuzz clean setup-run setup-python setup-test setup-live setup-lab setup-amd64 setup-arm64 gen

run: build
	@tools/run $(BINARY) $(BUDGET)

# The gate: what every change has to pass, and only a defect can fail.
test: setup-test
	@tools/test

# What measures, one test at a time, on a machine with nothing else to do: most of an hour.
test-live: setup-live
	@tools/test-live

# Hours of deaths at random moments, random histories, sieges and damage; TIMES as long.
soak: setup-lab
	@tools/soak $(or $(TIMES),1)

build: setup-run $(if $(filter arm64,$(ARCHITECTURE)),setup-arm64)
	@tools/build $(ARCHITECTURE)

# A .deb, an .rpm, a wheel, an image and a .tar.xz in target/packages, each tried in a place of its own where this is root. With
# ARCHITECTURE=arm64 for that, tried by emulation.
packages: build setup-live
	@tools/packages all $(ARCHITECTURE)
	@if [ "$$(id -u)" -eq 0 ]; then tools/packages-tried $(ARCHITECTURE); else echo "Not tried in a fresh root: that needs root."; fi

# The image for containers alone, in target/packages, tried with podman where this is root; ARCHITECTURE as above.
image: build setup-live
	@tools/packages image $(ARCHITECTURE)
	@if [ "$$(id -u)" -eq 0 ]; then tools/image-tried $(ARCHITECTURE); else echo "Not tried with podman: that needs root."; fi

# What the binary is made of, as CycloneDX, beside the packages.
sbom: setup-python
	@tools/sbom

# The documentation as a site in target/site, every link looked up; links to sources lead to REPOSITORY, where it is given.
site: setup-python
	@tools/site $(REPOSITORY)

# Licences, sources and known holes of the crates, by deny.toml.
deny: setup-run
	@tools/deny

# Lints the workflows for GitHub: needs Go, or actionlint.
workflows:
	@tools/workflows

# Builds the last commit twice, in two directories, and compares the bytes: twelve minutes on two cores.
reproduced: setup-run $(if $(filter arm64,$(ARCHITECTURE)),setup-arm64)
	@tools/reproduced $(ARCHITECTURE)

bench: build setup-live
	@tools/bench $(BINARY)

# The long forms of three tests: kill -9 at ROUNDS random moments, EXCHANGES exchanges of targets by somebody else while
# they are written, and twenty A/A tunes.
kill: setup-live
	@tools/kill $(ROUNDS)

# CUTS power cuts of a guest at random moments of tunes and applies: about a minute each.
power-cuts: setup-lab
	@tools/power-cuts $(CUTS)

# The long form of two more: 100,000 random histories of changes on a simulated kernel, 1,000 on a loop device.
histories: setup-live
	@tools/histories 100000 1000

exchanges: setup-live
	@tools/exchanges $(EXCHANGES)

aa: setup-live
	@tools/aa 20

# The stories of the field reports in guests, from the tune over reboots to the undo, those of slow settings too: 25 minutes.
stories: setup-lab
	@tools/stories

# DRAWS faults drawn at random, made on a stack of their own and looked for by check: ten seconds each.
draws: build setup-live
	@tools/draws $(DRAWS) $(BINARY)

# The web server under hostile connections of every kind, 45 s each: about eight minutes.
pressure: setup-live
	@tools/pressure $(CONNECTIONS)

# Everything that needs a guest, on each kernel that Debian 12 and 11 have: about four minutes a kernel.
lab: setup-lab
	@tools/lab

# Everything that needs a Ceph cluster, which is started for it on this machine, the pool that fills up too: two minutes.
ceph: setup-lab
	@tools/ceph

# Everything that needs a Kubernetes cluster, which is started for it on this machine: the first time its programs are built
# from Go's module proxy, which takes 20 minutes on two cores; they are kept in ~/.cache/iodyno-k8s.
k8s: image
	@tools/setup k8s
	@tools/k8s

# Coverage-guided fuzzing of every reader of other people's bytes, SECONDS each.
fuzz: setup-live
	@tools/fuzz $(SECONDS)

gen: build
	@cargo xtask gen --with-binary $(BINARY)

setup-run:
	@tools/setup run

setup-python:
	@tools/setup python

setup-test:
	@tools/setup test

setup-live:
	@tools/setup live

setup-lab:
	@tools/setup lab

setup-arm64:
	@tools/setup arm64

setup-amd64: setup-run

clean:
	@cargo clean
