/** The server's process. Importing this file starts it with the flags and the environment of the process. */
import { runServer } from './run.js';

await runServer();
