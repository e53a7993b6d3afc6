"""The loop that watches a cluster and says why gangs wait: conditions, events, metrics. Writes nothing else unasked."""
