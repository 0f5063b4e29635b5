from tests.benchmarks.delivery.run import main

main()
