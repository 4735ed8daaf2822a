// Writes docs/errors.md from the catalog and the operations, so that it cannot say anything else.
import { writeFileSync } from 'node:fs'
import { errorCatalog } from '../dist/error/catalog.js'
import { implementations } from '../dist/pipeline/implementations.js'
import { errorsDocument } from './errors-document.mjs'

writeFileSync('docs/errors.md', errorsDocument(errorCatalog, implementations))
