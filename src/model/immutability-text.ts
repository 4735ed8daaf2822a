import { joinWords } from '../text/message-text.ts'
import type { ImmutableCondition } from './model-description.ts'
import { isReadable, type ModelView } from './model-view.ts'

/**
 * Says which items nobody can change or delete; undefined if there are none.
 * @param ending stands before the full stop, such as ` (409)`
 */
export function immutabilityText(
  view: ModelView,
  change: 'changed' | 'deleted' | 'changed or deleted' = 'changed or deleted',
  ending = '',
): string | undefined {
  const { immutability, fieldsByName } = view.model
  if (!immutability) return undefined
  const { where, exceptions } = immutability
  if (where.length === 0) return `Items cannot be ${change}${exceptionsText()}${ending}.`
  if (!where.every(({ field }) => isReadable(view, field)))
    return `Some items can no longer be ${change}${ending}.`
  return `An item whose ${joinWords(where.map(conditionText))} can no longer be ${change}${exceptionsText()}${ending}.`

  function exceptionsText(): string {
    if (change === 'deleted') return ''
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
