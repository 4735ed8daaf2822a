import type { ChangeEntry } from '../../store/change-log.ts'
import { idsIn } from './ids-in.ts'
import type { PastSource } from './past-states.ts'
import type { RelatedDependencies, RelatedPath } from './related-dependencies.ts'

/** The ids of the items of the list that a path leads from to the item that changes. */
export function affectedIds(
  dependencies: RelatedDependencies,
  entry: ChangeEntry,
  sources: readonly PastSource[],
): ReadonlySet<string> {
  const affected = new Set<string>()
  if (entry.kind === 'erased') return affected
  for (const path of dependencies.decidedBy(entry))
    for (const source of sources)
      for (const id of startsOf(dependencies, path, entry.id, source)) affected.add(id)
  return affected
}

function startsOf(
  { model }: RelatedDependencies,
  path: RelatedPath,
  id: string,
  source: PastSource,
): readonly string[] {
  let ids: readonly string[] = [id]
  for (let at: RelatedPath | undefined = path; at; at = at.from) {
    const { field, model: ofPath, from } = at
    const next = new Set<string>()
    for (const each of ids)
      if (field.kind === 'inverse') {
        const values = source.get(ofPath, each)
        if (values) for (const owner of idsIn(values, field.inverseOf)) next.add(owner)
      } else
        for (const { id: owner } of source.itemsRelating(from?.model ?? model, field, each))
          next.add(owner)
    ids = [...next]
  }
  return ids
}
