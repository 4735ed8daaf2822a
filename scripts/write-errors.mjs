// Writes docs/errors.md from the catalog, so that it cannot say anything else.
import { writeFileSync } from 'node:fs'
import { catalog } from '../dist/error/catalog.js'
import { errorsDocument } from './errors-document.mjs'

writeFileSync('docs/errors.md', errorsDocument(catalog))
