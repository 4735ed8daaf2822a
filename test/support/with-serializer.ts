import type { Policy } from 'resourcery'
import type { Serializer } from 'resourcery/policy'

/** A policy whose only serializer is replaced. */
export function withSerializer(
  policy: Policy,
  change: (serializer: Serializer) => Partial<Serializer>,
): Policy {
  const original = policy.serializer as Serializer
  const serializer: Serializer = { ...original, ...change(original) }
  return {
    ...policy,
    serializer,
    rules: (...context) =>
      policy
        .rules(...context)
        .map((rule) => ({ ...rule, response: { ...rule.response, serializer } })),
  }
}
