import { afterAll, afterEach } from 'vitest'
import { runAfterFile, runAfterTest } from './after-tests.ts'
import { expectClosedStreams } from './truth/streams.ts'
import { expectNoViolations } from './truth/violations.ts'
import { watchRouters } from './truth/watching.ts'

// Evaluated before each test file, so that no test has to call these checks.
watchRouters()

// Vitest runs hooks that end something in the reverse order.
afterEach(expectNoViolations)
afterEach(runAfterTest)
afterAll(() => expectClosedStreams())
afterAll(runAfterFile)
