"""The background processes: workers, which run tasks, and the sweep, which brings lost tasks back."""
