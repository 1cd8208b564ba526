"""The job record and all that writes it: submit, queues, leases, recovery, counting, refunds. No HTTP in here."""
