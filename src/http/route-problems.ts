import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'

export function unknownMethod(method: string): Problem {
  return problem('method-not-implemented', `Unknown method '${truncate(method, 32)}'.`)
}

/** @param nearestPath the path that was probably meant */
export function unknownPath(path: string, nearestPath?: string): Problem {
  const statement = `Unknown path '${truncate(path, 200)}'.`
  return problem(
    'not-found',
    nearestPath === undefined ? statement : `${statement} Did you mean '${nearestPath}'?`,
  )
}
