import type { Policy } from 'resourcery'
import type { OpenedPolicy } from 'resourcery/contracts'

/** How the documents of rest() hold items. */
export function openRest(policy: Policy): OpenedPolicy {
  return {
    policy,
    itemDocument: ({ name, id, values, relations }) => ({
      [name]: { id, ...values, ...relations },
    }),
    readItem: (document) => Object.values(document)[0] as never,
    readList: (document) => Object.values(document)[0] as never,
    readErrorCodes: ({ errors }) => errors.map(({ code }: { code: string }) => code),
    action: { write: (input) => input, read: (document) => document },
    missingOperations: [
      'RelatedGet',
      'RelationshipGet',
      'RelationshipPost',
      'RelationshipPatch',
      'RelationshipDelete',
    ],
  }
}
