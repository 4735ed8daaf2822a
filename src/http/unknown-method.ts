import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'

/** The problem of a method that HTTP does not define. */
export function unknownMethod(method: string): Problem {
  return problem('method-not-implemented', `Unknown method '${truncate(method, 32)}'.`)
}
