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
import type { DescribedOperation, DescribedParameter } from '../described-operation.ts'
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

/** How requests of an operation are generated. */
export type RequestStrategy = 'valid' | 'broken' | 'hostile'

export function requestsOf(
  strategy: RequestStrategy,
  state: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  switch (strategy) {
    case 'valid':
      return validRequests(state, schemas, operation)
    case 'broken':
      return brokenRequests(state, schemas, operation)
    case 'hostile':
      return hostileRequests(state, schemas, operation)
  }
}

function validRequests(
  state: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  const needed = operation.parameters.filter(isNeeded)
  const optional = {
    ...operation,
    parameters: operation.parameters.filter((parameter) => !isNeeded(parameter)),
  }
  const withCompleteSchemas = {
    ...operation,
    parameters: optional.parameters.filter(hasCompleteSchema),
  }
  const neededQuery = fc.tuple(
    ...needed.map((parameter) =>
      queryString({ ...operation, parameters: [parameter] }, ({ schema }) =>
        validValue(state, schema.value),
      ).map((text) => text.slice(1).split('&')[0]!),
    ),
  )
  const isComplete = needed.every(hasCompleteSchema)
  const query = fc.oneof(
    fc.constant({ text: '', isSurelyValid: true }),
    fc.oneof(
      queryString(withCompleteSchemas, ({ schema }) => validValue(state, schema.value)).map(
        (text) => ({ text: text.split('&')[0]!, isSurelyValid: true }),
      ),
      queryString(optional, ({ schema }) => validValue(state, schema.value)).map((text) => ({
        text,
        isSurelyValid: false,
      })),
    ),
  )
  const body = plannedBodies(state, schemas, operation, (values) => values)
  return fc
    .tuple(validPath(state, operation), query, body, neededQuery)
    .map(([path, { text, isSurelyValid }, body, neededTexts]) => {
      const isValid =
        isSurelyValid && isComplete && (operation.body === undefined || body.isValid === true)
      return plannedRequest(
        operation,
        path + queryOf([...neededTexts, text.slice(1)]),
        body,
        isValid ? 'success' : 'anyDocumentedResponse',
      )
    })
}

function isNeeded({ location, isRequired }: DescribedParameter): boolean {
  return location === 'query' && isRequired
}

function queryOf(texts: readonly string[]): string {
  const present = texts.filter((text) => text !== '')
  return present.length === 0 ? '' : `?${present.join('&')}`
}

function brokenRequests(
  state: ServiceState,
  schemas: CompiledSchemas,
  operation: DescribedOperation,
): fc.Arbitrary<PlannedRequest> {
  const query = queryString(operation, ({ schema }) =>
    fc.oneof(validValue(state, schema.value), hostileValue),
  )
  const brokenQuery = fc
    .tuple(
      validPath(state, operation),
      query,
      plannedBodies(state, schemas, operation, (values) => values),
    )
    .map(([path, text, body]) =>
      plannedRequest(operation, path + text, body, 'anyDocumentedResponse'),
    )
  if (!operation.body) return brokenQuery
  const brokenBody = fc
    .tuple(validPath(state, operation), plannedBodies(state, schemas, operation, brokenValue))
    .map(([path, body]) =>
      plannedRequest(
        operation,
        path,
        body,
        body.isValid === false ? 'refusal' : 'anyDocumentedResponse',
      ),
    )
  return fc.oneof({ weight: 3, arbitrary: brokenBody }, { weight: 1, arbitrary: brokenQuery })
}

function hostileRequests(
  state: ServiceState,
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
        plannedBodies(state, schemas, operation, () => hostileValue),
      )
    : fc.constant(noPlannedBody)
  const headers = fc.option(fc.constantFrom(...hostileHeaders), { nil: undefined })
  return fc
    .tuple(
      fc.oneof(path, validPath(state, operation)),
      fc.option(query, { nil: '' }),
      fc.oneof(
        body,
        plannedBodies(state, schemas, operation, (values) => values),
      ),
      headers,
    )
    .map(([path, text, body, header]) =>
      plannedRequest(
        operation,
        path + text,
        body,
        'anyDocumentedResponse',
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
