"""The published contract: document, examples, and what a fuzzer finds."""
