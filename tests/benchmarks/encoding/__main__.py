from tests.benchmarks.encoding.run import main

main()
