import { isSafe } from '../../http/safe-method.ts'
import type { DeclaredRequestHeader, RuleDeclaration } from '../../rule/declaration.ts'
import { operations } from '../../rule/operations.ts'
import type { PolicyRouterRule, PolicyRule } from '../../rule/rule.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { requestWrites } from './request-writes.ts'

/**
 * Shows clients what they have written where a store reads from replicas, which lag; undefined
 * where it does not.
 */
export function replicas({ store }: Pick<RouterSetup, 'store'>): Feature | undefined {
  const positions = store.facts?.writePositions
  return (
    positions && {
      completes: (rule) => ({ members: { readsReplicas: true }, declaration: declarationOf(rule) }),
      writesOf: (request, setHeader) => requestWrites(positions, request, setHeader),
    }
  )
}

function declarationOf(rule: PolicyRule | PolicyRouterRule): RuleDeclaration {
  if (isSafe(rule)) return readDeclaration
  return operations[rule.operation].changesItems ? writeDeclaration : noDeclaration
}

const text = { type: 'string' } as const

const noDeclaration: RuleDeclaration = Object.freeze({})

const knownPosition: DeclaredRequestHeader = Object.freeze({
  componentName: 'ResourceryPosition',
  name: 'Resourcery-Position',
  description:
    'The same header of an earlier response; the response then shows at least what that request wrote.',
  isRequired: false,
  schema: text,
})

const readDeclaration: RuleDeclaration = Object.freeze({ requestHeaders: [knownPosition] })

/** Requests that change nothing have no position, and it cannot always be read. */
const writeDeclaration: RuleDeclaration = Object.freeze({
  successHeaders: {
    'Resourcery-Position': {
      description:
        'How far the store has been written. A client that sends it back in the same header of later requests sees this change in them.',
      schema: text,
    },
  },
})
