import type { Chunk } from '../http/chunk.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { IncludeNode } from '../rule/selection.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import { chunkBatches } from './chunk-items.ts'
import type { DocumentBudget } from './document-budget.ts'
import type { DocumentContext } from './document-context.ts'
import { type IncludeCollector, type IncludeStart, includeCollector } from './include-collector.ts'
import { itemPieces } from './write-items.ts'

/** The collector of what the request includes, with the share of the whole document. */
export function collectorOf(
  { services, endpoint, selection, context, facts }: DocumentContext,
  budget: DocumentBudget,
): IncludeCollector | undefined {
  const { serializer, model } = endpoint
  const { include } = selection
  if (!include) return undefined
  const start: IncludeStart =
    facts.content === 'items'
      ? { model, tree: include, pathPrefix: '', primary: 'items' }
      : linkageStart(model, include)
  return includeCollector(services, start, serializer.linkage, context, budget)
}

/** The include paths of a relationship begin with the relation itself. */
function linkageStart(model: ModelDescription, [first]: readonly IncludeNode[]): IncludeStart {
  return first
    ? {
        model,
        tree: first.children,
        pathPrefix: `${first.relation.wireName}.`,
        primary: 'identifiers',
      }
    : { model, tree: [], pathPrefix: '', primary: 'items' }
}

/** Writes the included items, each group in its frame. */
export async function* writeIncluded(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  collector: IncludeCollector,
): AsyncGenerator<Chunk> {
  yield frame.includedOpen
  let separatorBefore = ''
  for (const { model, batches } of await collector.readGroups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.areGroupsJoined) separatorBefore = ''
    for await (const batch of chunkBatches(batches)) {
      yield* await itemPieces(
        documentContext,
        model,
        separatorBefore,
        batch,
        collector.collectedLinkage,
      )
      separatorBefore = documentContext.endpoint.serializer.separator
    }
    yield close
  }
  yield frame.includedClose
}
