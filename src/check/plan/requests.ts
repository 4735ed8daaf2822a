import fc from 'fast-check'
import { brokenValue } from '../arbitrary/broken-value.ts'
import {
  hostileHeaders,
  hostileSegments,
  hostileTexts,
  hostileValue,
} from '../arbitrary/hostile-value.ts'
import type { ServiceState } from '../arbitrary/service-state.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { DescribedOperation } from '../described-operation.ts'
import {
  encodeText,
  hasCompleteSchema,
  pathFromTemplate,
  queryString,
  toText,
  validPath,
} from './path-and-query.ts'
import { noPlannedBody, type PlannedBody, plannedBodies } from './planned-body.ts'
import { type PlannedRequest, plannedRequest } from './planned-request.ts'

/** The ways in which requests of one operation are made up. */
export type RequestStrategy = 'valid' | 'broken' | 'hostile'

export function requestsOf(
  manner: RequestStrategy,
  known: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  switch (manner) {
    case 'valid':
      return validRequests(known, schemas, operation)
    case 'broken':
      return brokenRequests(known, schemas, operation)
    case 'hostile':
      return hostileRequests(known, schemas, operation)
  }
}

function validRequests(
  known: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  const clear = { ...operation, parameters: operation.parameters.filter(hasCompleteSchema) }
  const query = fc.oneof(
    fc.constant({ text: '', clear: true }),
    fc.oneof(
      queryString(clear, ({ schema }) => validValue(known, schema.value)).map((text) => ({
        text: text.split('&')[0]!,
        clear: true,
      })),
      queryString(operation, ({ schema }) => validValue(known, schema.value)).map((text) => ({
        text,
        clear: false,
      })),
    ),
  )
  const body = plannedBodies(known, schemas, operation, (values) => values)
  return fc.tuple(validPath(known, operation), query, body).map(([path, { text, clear }, body]) => {
    const owed =
      clear && (operation.body === undefined || body.isValid === true) ? 'success' : 'answer'
    return plannedRequest(operation, path + text, body, owed)
  })
}

function brokenRequests(
  known: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  const query = queryString(operation, ({ schema }) =>
    fc.oneof(validValue(known, schema.value), hostileValue),
  )
  const inQuery = fc
    .tuple(
      validPath(known, operation),
      query,
      plannedBodies(known, schemas, operation, (values) => values),
    )
    .map(([path, text, body]) => plannedRequest(operation, path + text, body, 'answer'))
  if (!operation.body) return inQuery
  const inBody = fc
    .tuple(validPath(known, operation), plannedBodies(known, schemas, operation, brokenValue))
    .map(([path, body]) =>
      plannedRequest(operation, path, body, body.isValid === false ? 'refusal' : 'answer'),
    )
  return fc.oneof({ weight: 3, arbitrary: inBody }, { weight: 1, arbitrary: inQuery })
}

function hostileRequests(
  known: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  const path = pathFromTemplate(operation.path, () => fc.constantFrom(...hostileSegments))
  const query = fc.oneof(
    queryString(operation, () => hostileValue),
    fc
      .tuple(hostileValue, hostileValue)
      .map(([name, value]) => `?${shortText(name)}=${shortText(value)}`),
  )
  const body = operation.body
    ? fc.oneof(
        fc
          .tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(...typesOf(operation)))
          .map(
            ([content, type]): PlannedBody => ({ ...noPlannedBody, content, contentType: type }),
          ),
        plannedBodies(known, schemas, operation, () => hostileValue),
      )
    : fc.constant(noPlannedBody)
  const headers = fc.option(fc.constantFrom(...hostileHeaders), { nil: undefined })
  return fc
    .tuple(
      fc.oneof(path, validPath(known, operation)),
      fc.option(query, { nil: '' }),
      fc.oneof(
        body,
        plannedBodies(known, schemas, operation, (values) => values),
      ),
      headers,
    )
    .map(([path, text, body, header]) =>
      plannedRequest(
        operation,
        path + text,
        body,
        'answer',
        header && Object.fromEntries([header]),
      ),
    )
}

function shortText(value: unknown): string {
  return encodeText(toText(value).slice(0, 4_000))
}

function typesOf({ body }: DescribedOperation): readonly (string | undefined)[] {
  return body && body.content.size > 0 ? [...body.content.keys()] : [undefined]
}
