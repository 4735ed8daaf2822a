import { policyContract } from 'resourcery/contracts'
import { bareArrays } from './bare-arrays.ts'

policyContract('a policy of bare arrays', () => ({
  policy: bareArrays(),
  itemDocument: ({ id, values, relations }) => ({ id, ...values, ...relations }),
  readItem: (document) => document,
  readList: (document) => document,
  readErrorCodes: ({ code }) => [code],
  linkage: { write: (_, ids) => ids, read: (document) => document },
  action: { write: (input) => input, read: (document) => document },
  missingOperations: [],
}))
