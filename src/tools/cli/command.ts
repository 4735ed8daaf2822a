/** The options of a command, as `parseArgs` of Node.js declares them. */
export type OptionDeclarations = Readonly<
  Record<
    string,
    {
      readonly type: 'string' | 'boolean'
      readonly multiple?: boolean
      /** One letter, which stands for the option after a single hyphen. */
      readonly short?: string
    }
  >
>

type OptionValue<Option> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly multiple: true }
    ? readonly string[]
    : string

/** What follows the name of a command. */
export interface ParsedArguments<Options extends OptionDeclarations> {
  readonly values: { readonly [Name in keyof Options]?: OptionValue<Options[Name]> }
  readonly positionals: readonly string[]
}

/** One command of `resourcery`. */
export interface Command<Options extends OptionDeclarations = OptionDeclarations> {
  readonly name: string
  /** The arguments and the purpose, for the list of commands. */
  readonly synopsis: string
  readonly summary: string
  /** What `resourcery help <command>` prints: purpose, exit codes, options. */
  readonly usage: string
  readonly options: Options
  /**
   * @returns the exit code
   * @throws UsageError for wrong arguments; any other error ends the command with exit code 2
   */
  run(args: ParsedArguments<Options>): Promise<number>
}

/** Wrong arguments: the usage of the command is printed below the message. */
export class UsageError extends Error {}

/** Infers the types of the options, which the list of commands does not know. */
export function command<const Options extends OptionDeclarations>(
  declaration: Command<Options>,
): Command {
  return declaration as unknown as Command
}
