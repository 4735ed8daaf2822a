import { inspect } from 'node:util'
import { unknownName } from '../../error/unknown-name.ts'
import { type Command, UsageError } from './command.ts'
import { parseArguments } from './parse-arguments.ts'

/** Where a command writes. */
export interface CommandOutput {
  print(text: string): void
  printError(text: string): void
}

/**
 * Runs the command that the arguments name.
 * @returns the exit code: 2 if the command cannot run
 */
export async function runCommand(
  commands: readonly Command[],
  args: readonly string[],
  output: CommandOutput,
): Promise<number> {
  const [name, ...rest] = args
  const isHelp = name === 'help' || name === '--help'
  if (isHelp && rest.length === 0) {
    output.print(listOf(commands))
    return 0
  }
  const commandName = isHelp ? rest[0] : name
  const command = commands.find((candidate) => candidate.name === commandName)
  if (command === undefined) {
    output.printError(`${unknownCommand(commandName, commands)}\n\n${listOf(commands)}`)
    return 2
  }
  if (isHelp || rest.includes('--help')) {
    output.print(command.usage)
    return 0
  }
  try {
    return await command.run(parseArguments(rest, command.options))
  } catch (error) {
    output.printError(errorText(error, command))
    return 2
  }
}

/** Errors of the language come from a mistake in code, which only their stack leads to. */
const languageErrors = [TypeError, ReferenceError, RangeError, SyntaxError]

function errorText(error: unknown, { usage }: Command): string {
  if (!(error instanceof Error)) return inspect(error)
  if (languageErrors.some((type) => error.constructor === type)) return inspect(error)
  return error instanceof UsageError ? `${error.message}\n\n${usage}` : error.message
}

function unknownCommand(name: string | undefined, commands: readonly Command[]): string {
  const names = [...commands.map((command) => command.name), 'help']
  if (name === undefined) return `Missing command; expected one of ${names.join(', ')}.`
  return unknownName(`Unknown command '${name}'`, name, names)
}

function listOf(commands: readonly Command[]): string {
  const lines = commands.map(({ synopsis, summary }) => `  ${synopsis}\n      ${summary}`)
  return [
    'resourcery <command>',
    '',
    ...lines,
    '',
    "Run 'resourcery help <command>' for the options of a command.",
  ].join('\n')
}
