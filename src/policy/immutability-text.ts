import type { ImmutableCondition } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { joinWords } from '../text/message-text.ts'

/** Says which items nobody can change or delete; undefined if there are none. */
export function immutabilityText(view: ModelView): string | undefined {
  const { immutability, fieldsByName } = view.model
  if (!immutability) return undefined
  const { where, exceptions } = immutability
  if (where.length === 0) return `Items cannot be changed or deleted${exceptionsText()}.`
  if (!where.every(({ field }) => isReadable(view, field)))
    return 'Some items can no longer be changed or deleted.'
  return `An item whose ${joinWords(where.map(conditionText))} can no longer be changed or deleted${exceptionsText()}.`

  function exceptionsText(): string {
    const names = [...exceptions]
      .map((name) => fieldsByName.get(name)!)
      .filter((field) => isReadable(view, field))
      .map(({ wireName }) => `\`${wireName}\``)
    return names.length === 0 ? '' : `, except for ${joinWords(names)}`
  }
}

function conditionText({ field, values, isNegated }: ImmutableCondition): string {
  const texts = values.map((value) => JSON.stringify(value))
  return `\`${field.wireName}\` is ${isNegated ? 'not ' : ''}${joinWords(texts, 'or')}`
}
