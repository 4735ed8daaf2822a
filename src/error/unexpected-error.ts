import { type Problem, problem } from './problem.ts'

/** The problem of an error that is not the client's: its details are for the service alone. */
export function unexpectedError(): Problem {
  return problem('internal-error', 'An unexpected error occurred. The service has reported it.')
}
