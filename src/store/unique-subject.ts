import type { ModelDescription } from '../model/model-description.ts'
import { joinWords } from '../text/message-text.ts'

/** The beginning of a sentence about values that are not unique. */
export function uniqueSubject({ name }: ModelDescription, fields: readonly string[]): string {
  const names = joinWords(fields.map((field) => `'${field}'`))
  return fields.length === 1
    ? `The field ${names} of the model '${name}' is unique`
    : `The fields ${names} of the model '${name}' are unique together`
}
