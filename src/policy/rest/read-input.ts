import type { SentInput } from '../../serializer/sent.ts'

/** The body of an action is its input, as it is. */
export function readInput(document: unknown): SentInput {
  return { kind: 'sent', document, value: document, steps: [] }
}
