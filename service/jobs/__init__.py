"""Job records and their writers: submission, queues, leases, recovery, counting, refunds. Free of HTTP."""
