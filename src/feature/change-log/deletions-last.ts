import type { LoggedChange } from '../../store/change-log.ts'

/**
 * The changes of a transaction with its deletions at the end, the last one first: an item that is
 * deleted with another, or loses its relation to it, changes while the other one is still there.
 * Those who follow a list through that relation see then what happened to each item. Changes of one
 * item stay in their order.
 */
export function deletionsLast(changes: readonly LoggedChange[]): readonly LoggedChange[] {
  if (changes.length < 2 || changes.every(({ kind }) => kind !== 'delete')) return changes
  const changedLater = new Set<string>()
  const deletions: LoggedChange[] = []
  const others: LoggedChange[] = []
  for (const change of changes.toReversed()) {
    const key = `${change.model}/${change.id}`
    const isLast = !changedLater.has(key)
    changedLater.add(key)
    if (change.kind === 'delete' && isLast) deletions.push(change)
    else others.push(change)
  }
  return [...others.toReversed(), ...deletions]
}
