import { clientLimitsOf } from '../middleware/client-limit.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { jsonSchemaOf, type Schema } from '../schema/standard-schema.ts'

/**
 * A caller without an id is known by all of its members, and one of them may differ from token to
 * token: then each token would have points of its own.
 * @throws RegistrationError for callers without an `id`, where a limit tells them apart
 */
export function checkCallerKeys(
  middleware: readonly Middleware[],
  callerSchema: Schema | undefined,
): void {
  if (!callerSchema || !clientLimitsOf(middleware).some(({ isByCaller }) => isByCaller)) return
  if (hasKey(schemaOf(callerSchema))) return
  throw new RegistrationError(
    "limit() cannot tell callers apart: the schema of callers has no 'id', and several other members. Pass the option 'by', which says who has the points.",
  )
}

/** Does one value tell callers apart? Yes where the schema does not say what it describes. */
function hasKey({ anyOf, oneOf, properties }: JsonSchema): boolean {
  const alternatives = anyOf ?? oneOf
  if (alternatives) return alternatives.every(hasKey)
  return (
    properties === undefined ||
    Object.hasOwn(properties, 'id') ||
    Object.keys(properties).length <= 1
  )
}

function schemaOf(schema: Schema): JsonSchema {
  try {
    return jsonSchemaOf(schema, 'output')
  } catch {
    return {}
  }
}
