from tests.benchmarks.api.run import main

main()
