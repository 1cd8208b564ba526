"""The service on several hosts: network namespaces of this machine, with partitions, delay, loss and wrong clocks."""
