import { STATUS_CODES } from 'node:http'
import type { Problem } from '../../error/problem.ts'
import type { ModelDescription } from '../../model/description.ts'
import type { Outgoing } from '../../serializer/outgoing.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../../serializer/serializer.ts'
import { readItem } from './read-item.ts'

/** `{"book": {…}}`, `{"books": […]}`, included items under their own plurals, and errors as RFC 9457 problems. */
export const restSerializer: Serializer = Object.freeze({
  mediaType: 'application/json',
  errorMediaType: 'application/problem+json',
  linkage: 'owned',
  read: readItem,
  item: (_: ModelDescription, item: Outgoing) => (item.kind === 'stored' ? item.item.text : madeText(item)),
  identifier: (_: ModelDescription, id: string) => JSON.stringify(id),
  one: (model: ModelDescription, facts: DocumentFacts) => frame(model, facts, `{"${model.name}":`, 'null', ''),
  list: (model: ModelDescription, facts: DocumentFacts) => frame(model, facts, `{"${model.plural}":[`, '', ']'),
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

function madeText({ id, attributes, relations, hash }: Extract<Outgoing, { kind: 'made' }>): string {
  return JSON.stringify({ id, ...attributes, ...relations, ...(hash !== undefined && { hash }) })
}

function frame(
  primary: ModelDescription,
  { total }: DocumentFacts,
  open: string,
  nothing: string,
  afterItems: string,
): ListFrame {
  return {
    open,
    nothing,
    afterItems,
    includedOpen: '',
    // Ember's RESTSerializer reads a leading underscore as «beside the primary data, not part of it».
    group: (model) => ({ open: `,"${model === primary ? '_' : ''}${model.plural}":[`, close: ']' }),
    groupsJoined: false,
    includedClose: '',
    close: total === undefined ? '}' : `,"meta":{"page":{"total":${total}}}}`,
  }
}
