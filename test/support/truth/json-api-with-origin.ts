import { jsonApi as original } from '../../../src/policy/json-api/json-api.ts'
import { noteOrigin } from './registration-key.ts'

/** Tests make a policy for each router; here it is noted what from. Stands in for the module. */
export const jsonApi: typeof original = (options) =>
  noteOrigin(original(options), 'jsonApi', options)
