"""Background jobs: submission, queues, leases, recovery, charges and results. No code here depends on HTTP."""
