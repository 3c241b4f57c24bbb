"""A token bucket: how many requests a client may send, and how long it has to wait."""

from dataclasses import dataclass


@dataclass
class TokenBucket:
    """`capacity` requests at once, `per_second` in the long run."""

    capacity: float
    per_second: float
    tokens: float = 0.0
    checked_at: float = 0.0

    def wait_seconds(self, now: float) -> float:
        """Return how long to wait before the next request; 0 means that it may go now."""
        self.tokens = min(self.capacity, self.tokens + (now - self.checked_at) * self.per_second)
        self.checked_at = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.per_second
