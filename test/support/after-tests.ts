/**
 * Hooks of modules that test files share. Several files run in one process, where such a module is
 * evaluated once: `afterEach` at its top would hold for the first file only.
 */

type Hook = () => Promise<void> | void

const afterTests: Hook[] = []
const afterFiles: Hook[] = []

/** Called after each test of every file. */
export function afterEachTest(hook: Hook): void {
  afterTests.push(hook)
}

/** Called at the end of each test file. */
export function afterEachFile(hook: Hook): void {
  afterFiles.push(hook)
}

export const runAfterTest = (): Promise<void> => runAll(afterTests)
export const runAfterFile = (): Promise<void> => runAll(afterFiles)

/** A hook that fails leaves none out. */
async function runAll(hooks: readonly Hook[]): Promise<void> {
  const errors: unknown[] = []
  for (const hook of hooks)
    try {
      await hook()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length > 1) throw new AggregateError(errors, errors.join('\n'))
  if (errors.length > 0) throw errors[0]
}
