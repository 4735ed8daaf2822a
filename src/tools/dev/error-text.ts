import { RegistrationError } from '../../index.ts'
import { ImportFailure } from '../import-routers.ts'
import { isOfPackage } from '../package-folder.ts'

/**
 * An error of a module in one block: with its message, and the lines of its stack that lead to code
 * of the developer.
 */
export function errorText(error: unknown): string {
  if (error instanceof ImportFailure) return errorText(error.cause)
  if (error instanceof RegistrationError || !(error instanceof Error)) return String(error)
  const { cause } = error
  const text = ownStack(error)
  return cause === undefined ? text : `${text}\ncaused by ${errorText(cause)}`
}

/** Is the place of the error known to Node.js only, which prints it when the process ends? */
export function hasHiddenPlace(error: unknown): boolean {
  if (!(error instanceof ImportFailure)) return false
  const { cause } = error
  return cause instanceof SyntaxError && !ownFrames(cause.stack ?? '').includes('file:')
}

function ownStack({ stack, message, name }: Error): string {
  return stack === undefined ? `${name}: ${message}` : ownFrames(stack)
}

/** Without the lines of Node.js, of packages, and of this one. */
function ownFrames(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || !isForeign(line))
    .join('\n')
}

function isForeign(line: string): boolean {
  return /\(?node:|<anonymous>\)?$/.test(line) || isOfPackage(line)
}
