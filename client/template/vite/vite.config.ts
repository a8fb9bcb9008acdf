import { startServer } from '@riposte/signaling';
import { defineConfig } from 'vite';

/** While you work on the game, the server that introduces players to each other runs behind Vite's own. */
export default defineConfig(async ({ command, mode }) => {
  if (command !== 'serve' || mode !== 'development') return {};
  const server = await startServer({ host: '127.0.0.1', port: 0, servePages: false, logLevel: 'warn' });
  return { server: { proxy: { '/socket.io': { target: server.url, ws: true } } } };
});
