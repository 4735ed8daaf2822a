import { parseArgs } from 'node:util'
import { unknownName } from '../../error/unknown-name.ts'
import { type OptionDeclarations, type ParsedArguments, UsageError } from './command.ts'

/** @throws Error for an unknown option, or one without its value */
export function parseArguments<Options extends OptionDeclarations>(
  args: readonly string[],
  options: Options,
): ParsedArguments<Options> {
  const config = { args: [...args], allowPositionals: true, options } as const
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true })
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      throw new Error(
        unknownName(`Unknown option '${token.rawName}'`, token.name, Object.keys(options), {
          format: (name) => `--${name}`,
        }),
      )
  return parseArgs(config) as ParsedArguments<Options>
}

/**
 * The positional arguments, one for each name.
 * @throws UsageError if there are fewer or more
 */
export function expectPositionals<const Names extends readonly string[]>(
  positionals: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: string } {
  const missing = names[positionals.length]
  if (missing !== undefined) throw new UsageError(`Missing argument; expected ${missing}.`)
  const extra = positionals[names.length]
  if (extra !== undefined)
    throw new UsageError(`Unexpected argument '${extra}'; expected ${names.join(' and ')} only.`)
  return positionals as unknown as { readonly [Index in keyof Names]: string }
}

/** @throws UsageError if an option that is required is absent */
export function requireOption(option: string, value: string | undefined, meaning: string): string {
  if (value !== undefined && value !== '') return value
  throw new UsageError(`Missing option --${option}; expected ${meaning}.`)
}

/**
 * @param subject where the text stands: `--port`
 * @param alternative what else is expected: `or 'auto'`
 * @throws Error if the text is no integer, or is too small
 */
export function parseInteger(
  subject: string,
  text: string,
  min: number,
  alternative?: string,
): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min) return value
  const expected = `an integer of at least ${min}${alternative ? `, ${alternative}` : ''}`
  throw new Error(`${subject} must be ${expected}; got '${text}'.`)
}

/** A header as `--header` names it, with its name in lower case. */
export function parseHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new Error(`--header must be 'name: value'; got '${text}'.`)
}
