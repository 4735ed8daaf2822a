import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Outside the repository, whose `node_modules` would be found otherwise. */
const consumer = realpathSync(mkdtempSync(join(tmpdir(), 'consumer-')))
const strangers = join(consumer, 'strangers')
const inConsumer = (path: string) => join(consumer, 'node_modules', path)

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}

let entryPoints: readonly string[]

/** Other packages than the declared ones are not found, so a missing declaration is noticed. */
beforeAll(async () => {
  const { dependencies, peerDependencies, exports }: Manifest = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  // `pretest` has built the package.
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', consumer])
  mkdirSync(inConsumer('resourcery'), { recursive: true })
  const archive = join(consumer, packed.trim().split('\n').at(-1)!)
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', inConsumer('resourcery')])
  // As `prepack` does in dist/, which other tests use meanwhile.
  await run(process.execPath, ['scripts/bundle.mjs', inConsumer('resourcery/dist')])
  const developmentTools = ['typescript', '@types/node']
  for (const name of [
    ...Object.keys(dependencies),
    ...Object.keys(peerDependencies),
    ...developmentTools,
  ]) {
    mkdirSync(dirname(inConsumer(name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), inConsumer(name))
  }
  cpSync(join(root, 'test/strangers'), strangers, { recursive: true })
  entryPoints = Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => `resourcery${path.slice(1)}`)
  writeFileSync(
    join(strangers, 'entry-points.ts'),
    entryPoints.map((path, index) => `export * as entry${index} from '${path}'\n`).join(''),
  )
  writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }')
}, 120_000)

afterAll(() => rmSync(consumer, { recursive: true }))

it('the types of the installed package are complete, also for declarations that TypeScript writes', async () => {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    types: ['node'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    declaration: true,
    noEmit: true,
  }
  writeFileSync(
    join(consumer, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['strangers'] }),
  )
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [inConsumer('typescript/bin/tsc'), '-p', consumer],
    { cwd: consumer },
  ).catch((error: { readonly stdout: string }) => error)
  expect(stdout).toBe('')
}, 120_000)

it('every entry point of the installed package can be imported', async () => {
  const program = `for (const path of ${JSON.stringify(entryPoints)}) {
    if (path.endsWith('/testing')) continue
    const names = Object.keys(await import(path))
    console.log(path, names.length > 0 || path.endsWith('/types'))
  }`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    { cwd: consumer },
  )
  // The contract suites run in Vitest only.
  const expected = entryPoints.filter((path) => !path.endsWith('/testing'))
  expect(stdout.trim().split('\n')).toEqual(expected.map((path) => `${path} true`))
})

it('the stores and the policy of strangers satisfy their contracts with the installed package', async () => {
  const output = join(consumer, 'report.json')
  const vitest = [inConsumer('vitest/vitest.mjs'), 'run', '--root', consumer]
  await run(process.execPath, [...vitest, '--reporter=json', `--outputFile=${output}`])
  const report: { readonly numFailedTests: number; readonly numPassedTests: number } = JSON.parse(
    readFileSync(output, 'utf8'),
  )
  expect(report.numFailedTests).toBe(0)
  expect(report.numPassedTests).toBeGreaterThan(300)
}, 300_000)

async function run(command: string, parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, parameters, {
    cwd: root,
    env: { ...process.env, VITEST: '' },
  })
  return stdout
}
