import { rest as original } from '../../../src/policy/rest/rest.ts'
import { noteOrigin } from './registration-key.ts'

/** Tests make a policy for each router; here it is noted what from. Stands in for the module. */
export const rest: typeof original = (options) => noteOrigin(original(options), 'rest', options)
