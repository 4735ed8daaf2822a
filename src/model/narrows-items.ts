import type { ActionDescription } from './action-description.ts'

/** Has the action query hooks of its own? */
export function narrowsItems({ use }: ActionDescription): boolean {
  return use.some((each) => typeof each === 'object' && each.query !== undefined)
}
