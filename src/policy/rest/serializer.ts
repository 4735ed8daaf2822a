import { STATUS_CODES } from 'node:http'
import { oncePer } from '../../cache/once-per.ts'
import type { Problem } from '../../error/problem.ts'
import type { ModelDescription } from '../../model/description.ts'
import type { Outgoing } from '../../serializer/outgoing.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../../serializer/serializer.ts'
import { withAddresses } from '../../store/addresses.ts'
import { problemSchema } from './problem-schema.ts'
import { readItem } from './read-item.ts'

/** `{"book": {…}}`, `{"books": […]}`, included items under their own plurals, and errors as RFC 9457 problems. */
export const restSerializer: Serializer = Object.freeze({
  mediaType: 'application/json',
  errorMediaType: 'application/problem+json',
  errorSchema: problemSchema,
  linkage: 'owned',
  read: readItem,
  sendsStoredTexts: true,
  between: ',',
  item: (model: ModelDescription, item: Outgoing, base: string) =>
    item.kind === 'made'
      ? madeText(item)
      : model.slots.length === 0
        ? item.item.text
        : withAddresses(item.item.text, base),
  identifier: (_: ModelDescription, id: string) => JSON.stringify(id),
  output: (text: string) => text,
  one: (model: ModelDescription) => framesOf(model).one,
  list: (model: ModelDescription, { total }: DocumentFacts) => {
    const { list } = framesOf(model)
    return total === undefined ? list : { ...list, close: `,"meta":{"page":{"total":${total}}}}` }
  },
  errors: (status: number, problems: readonly Problem[], untold: number) =>
    JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: problems.length === 1 ? problems[0]!.detail : severalFaults(problems.length, untold),
      errors: problems,
    }),
})

function severalFaults(told: number, untold: number): string {
  return `There are ${told + untold} faults; 'errors' lists ${untold === 0 ? 'them' : `the first ${told}`}.`
}

function madeText({ id, attributes, relations, resources, hash }: Extract<Outgoing, { kind: 'made' }>): string {
  return JSON.stringify({ id, ...attributes, ...relations, ...resources, ...(hash !== undefined && { hash }) })
}

/** What stands around items depends on their model only. */
const framesOf = oncePer((model: ModelDescription) => ({
  one: frame(model, `{"${model.name}":`, 'null', ''),
  list: frame(model, `{"${model.plural}":[`, '', ']'),
}))

function frame(primary: ModelDescription, open: string, nothing: string, afterItems: string): ListFrame {
  return {
    open,
    nothing,
    afterItems,
    includedOpen: '',
    // Ember's RESTSerializer reads a leading underscore as «beside the primary data, not part of it».
    group: (model) => ({ open: `,"${model === primary ? '_' : ''}${model.plural}":[`, close: ']' }),
    groupsJoined: false,
    includedClose: '',
    close: '}',
  }
}
