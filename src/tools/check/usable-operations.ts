import fc from 'fast-check'
import type { ServiceState } from './arbitrary/service-state.ts'
import { validValue } from './arbitrary/valid-value.ts'
import type { CompiledSchemas } from './compiled-schemas.ts'
import { type DescribedOperation, schemasIn, sentSchemas } from './described-operation.ts'
import { type Violation, violation } from './expectation/expectation.ts'
import type { Finding } from './finding.ts'
import { refuseDeepSchema, refuseEndlessValues, UnusableSchemaError } from './unusable-schema.ts'

/** Operations whose schemas the check can use, and why it cannot use those of the others. */
export interface UsableOperations {
  readonly operations: readonly DescribedOperation[]
  readonly findings: readonly Finding[]
}

/**
 * Operations with schemas that the check can compile.
 * @throws Error if a schema is not valid JSON Schema 2020-12
 */
export function readableOperations(
  document: unknown,
  schemas: CompiledSchemas,
  operations: readonly DescribedOperation[],
): UsableOperations {
  return partition(operations, (operation) => {
    for (const node of schemasIn(operation)) refuseDeepSchema(node)
    for (const node of sentSchemas(operation)) refuseEndlessValues(document, node)
    for (const node of schemasIn(operation)) schemas.compile(node)
  })
}

/** Operations with schemas of which the check can make values. */
export function writableOperations(
  state: ServiceState,
  operations: readonly DescribedOperation[],
  seed: number,
): UsableOperations {
  return partition(operations, (operation) => {
    for (const { value, pointer } of sentSchemas(operation))
      try {
        fc.sample(validValue(state, value), { numRuns: sampleCount, seed })
      } catch (error) {
        if (error instanceof UnusableSchemaError) throw error
        throw new UnusableSchemaError(pointer, 'admits no value that the check can make.')
      }
  })
}

const sampleCount = 3

function partition(
  operations: readonly DescribedOperation[],
  use: (operation: DescribedOperation) => void,
): UsableOperations {
  const findings: Finding[] = []
  const usable = operations.filter((operation) => {
    try {
      use(operation)
      return true
    } catch (error) {
      if (!(error instanceof UnusableSchemaError)) throw error
      findings.push(findingOf(operation, violation('unusable-schema', error.message)))
      return false
    }
  })
  return { operations: usable, findings }
}

/** What the check finds in the document, and not in a response. */
export function findingOf({ id, method, path }: DescribedOperation, found: Violation): Finding {
  return { ...found, subject: id, request: { method, requestTarget: path, headers: {} } }
}
