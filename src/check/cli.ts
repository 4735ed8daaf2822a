#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { unknownName } from '../error/unknown-name.ts'
import type { check as Check, CheckOptions } from './check.ts'
import { openServices } from './open-services.ts'
import { formatReport } from './report-text.ts'

const usage = `resourcery check <module or URL>

Tests a running service against its OpenAPI document. Expects the URL of the document, or a
module that exports a router. It creates, changes and deletes items.

  --runs <n>         requests per strategy (valid, broken, hostile) and operation (100)
  --seed <n>         repeats the requests of an earlier run
  --only <ids>       operation ids, separated by commas
  --timeout <ms>     maximum time for one response, in milliseconds (10000)
  --header <n: v>    header of every request; may be repeated
`

const cliOptions = {
  runs: { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string' },
  timeout: { type: 'string' },
  header: { type: 'string', multiple: true },
  help: { type: 'boolean' },
} as const

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}

function parseOptions(args: readonly string[]) {
  const config = { args: [...args], allowPositionals: true, options: cliOptions } as const
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true })
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(cliOptions, token.name))
      throw new Error(
        unknownName(`Unknown option '${token.rawName}'`, token.name, Object.keys(cliOptions), {
          format: (name) => `--${name}`,
        }),
      )
  return parseArgs(config)
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args)
  const [command, target] = positionals
  if (values.help || command !== 'check' || target === undefined) {
    if (values.help) console.log(usage)
    else console.error(`${usageProblem(command)}\n\n${usage}`)
    return values.help ? 0 : 2
  }
  const options: CheckOptions = {
    ...(values.runs !== undefined && { runs: parseNumber('runs', values.runs) }),
    ...(values.seed !== undefined && { seed: parseNumber('seed', values.seed) }),
    ...(values.timeout !== undefined && { timeoutMs: parseNumber('timeout', values.timeout) }),
    ...(values.only !== undefined && { only: values.only.split(',') }),
    headers: Object.fromEntries((values.header ?? []).map(parseHeader)),
  }
  return runCheck(target, options)
}

function usageProblem(command: string | undefined): string {
  if (command === undefined) return "Missing command; expected 'check'."
  return command === 'check'
    ? 'Missing argument; expected a module or a URL.'
    : unknownName(`Unknown command '${command}'`, command, ['check'])
}

async function runCheck(name: string, options: CheckOptions): Promise<number> {
  const check = await loadCheck()
  const { services, close } = await openServices(name)
  try {
    let findingCount = 0
    for (const { document, base } of services) {
      const report = await check(document, base, options)
      console.log(formatReport(report, base))
      findingCount += report.findings.length
    }
    return findingCount === 0 ? 0 : 1
  } finally {
    await close()
  }
}

/** The check needs optional packages, which may not be installed. */
async function loadCheck(): Promise<typeof Check> {
  try {
    return (await import('./check.ts')).check
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      "Missing packages for the check. Run 'npm install --save-dev fast-check ajv ajv-formats'.",
      {
        cause: error,
      },
    )
  }
}

function parseNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a non-negative integer; got '${text}'.`)
}

function parseHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new Error(`--header must be 'name: value'; got '${text}'.`)
}
