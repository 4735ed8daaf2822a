import { matcherOf } from '../../store/evaluation/evaluate.ts'
import type { ItemSource } from '../../store/evaluation/item-source.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { FollowedList } from './followed-list.ts'

/** What time moves: what a list has, or shows, at only one of two times. */
export interface MovesByTime {
  /** Does it move this item of the list, or of a model that the list shows links to? */
  moves(modelName: string, values: StoredValues, source: ItemSource): boolean
  /** May it move items that those of the list link to? */
  readonly movesLinked: boolean
}

/** @param sinceMs one of the times; the other one is now */
export function movesByTime(list: FollowedList, sinceMs: number): MovesByTime {
  const moved = list
    .changedByTime(sinceMs)
    .map(({ model, condition }) => ({ name: model.name, matches: matcherOf(model, condition) }))
  return {
    moves: (modelName, values, source) =>
      moved.some(({ name, matches }) => name === modelName && matches(values, source)),
    movesLinked: moved.length > 1,
  }
}
