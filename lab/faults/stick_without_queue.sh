# Fault: a USB stick that takes one command at a time, 150 a second
# cause: usb_one_command
# limit: USB iops-total=150
make() { filesystem "$USB" ext4 "-O ^has_journal"; }
unmake() { :; }
