import { type ItemReader, matcherOf } from '../../store/evaluation/evaluate.ts'
import type { ItemSource } from '../../store/evaluation/item-source.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { FollowedList } from './followed-list.ts'
import { idsIn } from './ids-in.ts'

/** What of a past item the caller sees, as far as conditions decide it. */
export interface ItemViews {
  isListed: ItemReader<boolean>
  /** The names of the members that the caller does not see. */
  hiddenNames(values: StoredValues, source: ItemSource): readonly string[]
  /** A text that differs where the item holds other ids, whether or not the caller sees them. */
  linkedIds(values: StoredValues): string
  /** A text that differs where the caller sees other related items. */
  linksOf(values: StoredValues, source: ItemSource): string
}

export function itemViews(list: FollowedList): ItemViews {
  const { model, condition, masks, links, isMapped } = list
  const isShown = masks.map((mask) => ({
    name: mask.name,
    matches: matcherOf(model, mask.condition),
  }))
  const readers = links.map(({ relation, condition: ofRelated }) => ({
    relation,
    matches: matcherOf(relation.relatedModel, ofRelated),
  }))
  return {
    isListed: matcherOf(model, condition),
    hiddenNames: (values, source) =>
      isShown.flatMap(({ name, matches }) => (matches(values, source) ? [] : name)),
    linkedIds: (values) => JSON.stringify(links.map(({ relation }) => idsIn(values, relation))),
    linksOf: (values, source) =>
      JSON.stringify(
        readers.map(({ relation, matches }) =>
          idsIn(values, relation).flatMap((id) => {
            const related = source.get(relation.relatedModel, id)
            if (!related || !matches(related, source)) return []
            return [isMapped ? related : id]
          }),
        ),
      ),
  }
}
