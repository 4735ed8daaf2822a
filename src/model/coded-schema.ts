import { readCodec } from '../schema/read-codec.ts'
import type { CodedSchema } from '../schema/schema-codec.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { RegistrationError } from './registration-error.ts'

/**
 * The schema of the values as JSON, with its codec.
 * @param subject what has the schema: `the field 'begins' of the model 'talk'`
 * @throws RegistrationError if the codec cannot be reversed
 */
export function codedSchema(subject: string, schema: Schema): CodedSchema {
  try {
    return readCodec(schema)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new RegistrationError(`${subject} ${error.message}`, { cause: error })
  }
}
