import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'

export function unknownMethod(method: string): Problem {
  return problem('method-not-implemented', `Unknown method '${truncate(method, 32)}'.`)
}

export function unknownPath(path: string): Problem {
  return problem('not-found', `Unknown path '${truncate(path, 200)}'.`)
}
