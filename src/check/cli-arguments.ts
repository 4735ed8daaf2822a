import { parseArgs } from 'node:util'
import { unknownName } from '../error/unknown-name.ts'
import type { CheckOptions } from './check.ts'

const cliOptions = {
  runs: { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string' },
  timeout: { type: 'string' },
  header: { type: 'string', multiple: true },
  help: { type: 'boolean' },
} as const

/** What the command line asks for. */
export type CliCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'usage problem'; readonly message: string }
  | { readonly kind: 'check'; readonly target: string; readonly options: CheckOptions }

/** @throws Error for an unknown option, or one with an invalid value */
export function parseCommand(args: readonly string[]): CliCommand {
  const { values, positionals } = parseOptions(args)
  const [command, target, extra] = positionals
  if (values.help) return { kind: 'help' }
  if (command !== 'check' || target === undefined)
    return { kind: 'usage problem', message: usageProblem(command) }
  if (extra !== undefined)
    return {
      kind: 'usage problem',
      message: `Unexpected argument '${extra}'; expected one module or URL.`,
    }
  const options: CheckOptions = {
    ...(values.runs !== undefined && { runs: parseNumber('runs', values.runs, 1) }),
    ...(values.seed !== undefined && { seed: parseNumber('seed', values.seed, 0) }),
    ...(values.timeout !== undefined && { timeoutMs: parseNumber('timeout', values.timeout, 1) }),
    ...(values.only !== undefined && { only: values.only.split(',') }),
    headers: Object.fromEntries((values.header ?? []).map(parseHeader)),
  }
  return { kind: 'check', target, options }
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

function usageProblem(command: string | undefined): string {
  if (command === undefined) return "Missing command; expected 'check'."
  return command === 'check'
    ? 'Missing argument; expected a module or a URL.'
    : unknownName(`Unknown command '${command}'`, command, ['check'])
}

function parseNumber(name: string, text: string, min: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min) return value
  throw new Error(`--${name} must be an integer of at least ${min}; got '${text}'.`)
}

function parseHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new Error(`--header must be 'name: value'; got '${text}'.`)
}
