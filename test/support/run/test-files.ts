import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The test files of a run. */
export interface TestFiles {
  /** They run one after the other in a few processes, each of which imports the library once. */
  readonly shared: readonly string[]
  /** Each runs in a process of its own. */
  readonly own: readonly string[]
}

/** The tests in this folder start processes, and import little of the library. */
const folderOfOwnProcesses = 'test/process/'

/**
 * What a file cannot do beside others: replace modules or globals, measure the process or its time,
 * or change it.
 */
const needsOwnProcess =
  /\bvi\.(?:mock|doMock|resetModules|importActual|stub\w+|useFakeTimers)\(|\b(?:memoryUsage|performance\.now)\(|\/proc\/self|\bprocess\.(?:chdir|exit|kill|execve|removeAllListeners)\b|setFlagsFromString|\bhasSubscribers\b/

/** A test of every store takes its stores from this list or the other. */
const importsStores = /import \{[^}]*\b(?:stores|storeKinds)\b[^}]*\} from/

/**
 * @param isOtherStore whether TEST_STORE names a store: tests that do not run on each store do the
 * same in every run
 */
export function testFiles(isOtherStore: boolean): TestFiles {
  const files = ['src', 'test', 'examples'].flatMap(testsBelow)
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  const ofRun = isOtherStore
    ? files.filter((file) => file.startsWith('test/') && importsStores.test(texts.get(file)!))
    : files
  const isShared = (file: string): boolean =>
    !file.startsWith(folderOfOwnProcesses) && !needsOwnProcess.test(texts.get(file)!)
  return {
    shared: ofRun.filter(isShared),
    own: ofRun.filter((file) => !isShared(file)),
  }
}

function testsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
}
