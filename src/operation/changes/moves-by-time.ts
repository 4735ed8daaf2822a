import { type ItemReader, matcherOf } from '../../store/evaluation/evaluate.ts'
import type { ItemSource } from '../../store/evaluation/item-source.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { FollowedList } from './followed-list.ts'
import { idsIn } from './ids-in.ts'

/** What time moves between two times: then, and now. */
export interface MovesByTime {
  /** Did the rules of then let the caller see the item? */
  wasListed: ItemReader<boolean>
  /** Does time show or hide members of this item of the list, or items that it links to? */
  isShownMoved: ItemReader<boolean>
}

/** @returns undefined where the time moves nothing */
export function movesByTime(list: FollowedList, sinceMs: number): MovesByTime | undefined {
  const moved = list
    .changedByTime(sinceMs)
    .map(({ model, condition }) => ({ name: model.name, matches: matcherOf(model, condition) }))
  if (moved.length === 0) return undefined
  const isMoved = (modelName: string, values: StoredValues, source: ItemSource) =>
    moved.some(({ name, matches }) => name === modelName && matches(values, source))
  return {
    wasListed: matcherOf(list.model, list.conditionAt(sinceMs)),
    isShownMoved: (values, source) =>
      isMoved(list.model.name, values, source) ||
      list.links.some(({ relation }) =>
        idsIn(values, relation).some((id) => {
          const related = source.get(relation.relatedModel, id)
          return related !== undefined && isMoved(relation.relatedModel.name, related, source)
        }),
      ),
  }
}
