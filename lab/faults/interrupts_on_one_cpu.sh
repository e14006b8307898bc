# Fault: every interrupt of a SATA controller on one CPU that also computes
# cause: interrupts_on_one_cpu interrupts_not_spread completions_on_one_cpu
make() { filesystem "$VIRTIO" ext4; for irq in $(grep -l . /proc/irq/*/smp_affinity_list); do echo 1 >"$irq" 2>/dev/null; done; }
unmake() { for irq in $(grep -l . /proc/irq/*/smp_affinity_list); do echo 0-1 >"$irq" 2>/dev/null; done; }
